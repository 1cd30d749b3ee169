var express = require('express');
var Message = require('../models/message');

var router = express.Router();

router.get('/', function (req, res, next) {
  Message.find().sort('-created').then(function (messages) {
    res.send(messages);
  }).catch(next);
});

router.post('/', function (req, res, next) {
  if (!req.user) return res.status(401).send({ error: 'log in first' });
  new Message({ text: req.body.text, author: req.user._id }).save().then(function (message) {
    res.status(201).send(message);
  }).catch(next);
});

module.exports = router;
